"""What is believed: claims meet those that stand, give way, are put right, taken back and asked about."""
