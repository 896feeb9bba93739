package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// typeFacts is one exported type: a struct with Fields, or another type's name or shape in Expression.
type typeFacts struct {
	Name       string       `json:"name"`
	Markers    []string     `json:"markers"`
	Fields     []fieldFacts `json:"fields"`
	Expression string       `json:"expression"`
	CustomJSON bool         `json:"customJson"`
}

// fieldFacts is one exported field with its relevant tags.
type fieldFacts struct {
	Name          string   `json:"name"`
	Embedded      bool     `json:"embedded"`
	Type          string   `json:"type"`
	JSON          string   `json:"json"`
	Protobuf      string   `json:"protobuf"`
	PatchStrategy string   `json:"patchStrategy"`
	PatchMergeKey string   `json:"patchMergeKey"`
	Markers       []string `json:"markers"`
}

// readTypes returns a file's exported types. Interfaces and functions have no JSON form and are omitted.
func readTypes(file sourceFile, own string, names map[string]string) ([]typeFacts, error) {
	q := qualifier{own: own, names: names, imports: importNames(file.syntax)}
	var types []typeFacts
	for _, d := range file.syntax.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, spec := range decl.Specs {
			t := spec.(*ast.TypeSpec)
			if !t.Name.IsExported() || t.TypeParams != nil {
				continue
			}
			doc := t.Doc
			if doc == nil {
				doc = decl.Doc
			}
			facts := typeFacts{Name: t.Name.Name, Markers: file.typeMarkers(doc, decl.Pos())}
			switch shape := t.Type.(type) {
			case *ast.InterfaceType, *ast.FuncType:
				continue
			case *ast.StructType:
				fields, err := readFields(shape, q)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", t.Name.Name, err)
				}
				facts.Fields = fields
			default:
				expression, err := q.expression(shape)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", t.Name.Name, err)
				}
				facts.Expression = expression
			}
			types = append(types, facts)
		}
	}
	return types, nil
}

func readFields(s *ast.StructType, q qualifier) ([]fieldFacts, error) {
	fields := []fieldFacts{}
	for _, f := range s.Fields.List {
		expression, err := q.expression(f.Type)
		if err != nil {
			return nil, err
		}
		var tag reflect.StructTag
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return nil, err
			}
			tag = reflect.StructTag(text)
		}
		facts := fieldFacts{
			Type: expression, JSON: tag.Get("json"), Protobuf: tag.Get("protobuf"),
			PatchStrategy: tag.Get("patchStrategy"), PatchMergeKey: tag.Get("patchMergeKey"), Markers: markers(f.Doc),
		}
		if len(f.Names) == 0 {
			facts.Embedded = true
			facts.Name = expression[strings.LastIndexAny(expression, ".*")+1:]
			fields = append(fields, facts)
			continue
		}
		for _, name := range f.Names {
			if name.IsExported() {
				facts.Name = name.Name
				fields = append(fields, facts)
			}
		}
	}
	return fields, nil
}

// qualifier writes type expressions with the package in front of every name that is not built in.
type qualifier struct {
	own     string
	names   map[string]string
	imports map[string]string
}

func (q qualifier) expression(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if e.IsExported() {
			return q.own + "." + e.Name, nil
		}
		return e.Name, nil
	case *ast.SelectorExpr:
		path := q.imports[e.X.(*ast.Ident).Name]
		if name, ok := q.names[path]; ok {
			return name + "." + e.Sel.Name, nil
		}
		return path[strings.LastIndex(path, "/")+1:] + "." + e.Sel.Name, nil
	case *ast.StarExpr:
		return q.wrapped("*", e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return q.wrapped("[]", e.Elt)
		}
	case *ast.MapType:
		key, err := q.expression(e.Key)
		if err != nil {
			return "", err
		}
		return q.wrapped("map["+key+"]", e.Value)
	case *ast.InterfaceType:
		return "interface{}", nil
	}
	return "", fmt.Errorf("a type of an unknown shape: %T", e)
}

func (q qualifier) wrapped(prefix string, e ast.Expr) (string, error) {
	inner, err := q.expression(e)
	return prefix + inner, err
}

// importNames maps the name by which a file knows a package to the package's path.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = path
	}
	return names
}
