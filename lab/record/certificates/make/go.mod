module edgeplane/scripts/certificates/make

go 1.26
