"""Documents about an audit in the forms that authorities, boards and other programs ask for."""
