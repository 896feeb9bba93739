package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// sourceFile is a parsed file with its comments, indexed by their last lines. The index finds the comment above a
// type that is separated from it by an empty line.
type sourceFile struct {
	syntax   *ast.File
	set      *token.FileSet
	comments map[int]*ast.CommentGroup
}

// parseFolder reads the Go files of a default build without its tests, sorted by name.
func parseFolder(dir string) ([]sourceFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []sourceFile
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || strings.HasSuffix(e.Name(), ".pb.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, e.Name()); err != nil || !ok {
			continue
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		comments := map[int]*ast.CommentGroup{}
		for _, c := range syntax.Comments {
			comments[set.Position(c.End()).Line] = c
		}
		files = append(files, sourceFile{syntax, set, comments})
	}
	return files, nil
}

// markers returns the comment lines that begin with '+', without the '+'. Block comments contain no markers.
func markers(groups ...*ast.CommentGroup) []string {
	found := []string{}
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			line := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if strings.HasPrefix(line, "+") && len(line) > 1 && line[1] != '-' {
				found = append(found, line[1:])
			}
		}
	}
	return found
}

// typeMarkers returns the markers of a type's own comment and of the one above it, separated by an empty line.
func (f sourceFile) typeMarkers(doc *ast.CommentGroup, pos token.Pos) []string {
	top := pos
	if doc != nil {
		top = doc.Pos()
	}
	return markers(f.comments[f.set.Position(top).Line-2], doc)
}
