"""One model, one file, the paper's equations first."""
