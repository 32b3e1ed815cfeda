"""The reference from declarations: options of commands, documents and their JSON Schemas."""
