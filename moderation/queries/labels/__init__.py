"""Labels and their lines in exports, what they are like (`label_balance`), and what they say of scores."""
