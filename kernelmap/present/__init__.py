"""What there is to show: pages as plain records, before a renderer draws them."""
