"""m-Distinct and m-Distinct*: publishing people whose sensitive values change."""
