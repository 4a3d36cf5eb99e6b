"""What has to hold of every audit, whatever the series."""
