module example.com/growth

go 1.26
