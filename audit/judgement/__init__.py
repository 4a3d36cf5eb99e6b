"""From outcomes to a decision: scores, findings, pseudonyms, waivers, the policy."""
