module example.com/truth

go 1.24
