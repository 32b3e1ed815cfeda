"""Robot description formats, and the one way from what a file describes to a Robot."""
