"""One model for launches without a host side: which call of which graph each of them belongs to."""
