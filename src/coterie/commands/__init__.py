"""Commands on what was clustered before."""
