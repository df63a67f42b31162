# placeholder; see `make help`
