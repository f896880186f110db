module example.test/harbour

go 1.19
