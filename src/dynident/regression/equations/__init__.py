"""The equations of an identification: their columns, which of them are independent, and how rows are streamed and compressed."""
