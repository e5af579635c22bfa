module example.com/parking

go 1.26
