"""Nouns and ports: everything else imports these, they import nothing of ours."""
