"""Checks of what attacks claim, in exact arithmetic; nothing here knows how the claims were found."""
