module watchers

go 1.22
