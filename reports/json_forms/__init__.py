"""What results look like in JSON, a module for each kind; their types make the JSON Schema."""
