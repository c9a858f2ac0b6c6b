"""What runs teach: failures seen again, and ways of working that went well. All of it proposed."""
