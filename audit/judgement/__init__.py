"""Judgement: from outcomes to a decision, by scores, findings, pseudonyms, waivers and the policy."""
