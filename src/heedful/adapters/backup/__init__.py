"""Backup files: written, read, encrypted, and thrown away when their time has come."""
