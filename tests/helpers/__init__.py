"""What the tests share: tiny series, ways to draw them, and ways to run an audit on them."""
