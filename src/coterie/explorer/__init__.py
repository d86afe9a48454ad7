"""The explorer: results in a browser on this machine, to look at, correct and take further."""
