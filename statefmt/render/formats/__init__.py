"""What an upgrade, a downgrade or a rewrite of provider sources did."""
