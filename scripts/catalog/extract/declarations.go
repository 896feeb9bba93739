package main

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// lifecycle contains the return values of a type's prerelease-lifecycle methods, as written: "1, 16" and a group-version-kind.
type lifecycle struct {
	Introduced  []int             `json:"introduced,omitempty"`
	Deprecated  []int             `json:"deprecated,omitempty"`
	Removed     []int             `json:"removed,omitempty"`
	Replacement map[string]string `json:"replacement,omitempty"`
}

// readConstants adds the file's string constants, by name. All of them are needed, because `GroupName` may be declared beside other names.
func readConstants(file *ast.File, constants map[string]string) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, spec := range decl.Specs {
			value := spec.(*ast.ValueSpec)
			for i, name := range value.Names {
				if i < len(value.Values) {
					if text, ok := stringLiteral(value.Values[i]); ok {
						constants[name.Name] = text
					}
				}
			}
		}
	}
}

// valueFacts is a value of a named type: a text, or a constant of another package under its name in type expressions.
type valueFacts struct {
	Text     string `json:"text"`
	Constant string `json:"constant"`
}

// readValues adds the values of the file's constants of named types, by type.
func readValues(file *ast.File, q qualifier, values map[string][]valueFacts) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, spec := range decl.Specs {
			constant := spec.(*ast.ValueSpec)
			for _, expression := range constant.Values {
				named := constant.Type
				if conversion, ok := expression.(*ast.CallExpr); ok && named == nil && len(conversion.Args) == 1 {
					named, expression = conversion.Fun, conversion.Args[0]
				}
				name, ok := named.(*ast.Ident)
				if !ok {
					continue
				}
				if text, ok := stringLiteral(expression); ok {
					values[name.Name] = append(values[name.Name], valueFacts{Text: text})
				} else if of, ok := expression.(*ast.SelectorExpr); ok {
					if reference, err := q.expression(of); err == nil {
						values[name.Name] = append(values[name.Name], valueFacts{Constant: reference})
					}
				}
			}
		}
	}
}

// readMethods records the types with their own JSON methods, and the releases of their lifecycle.
func readMethods(file *ast.File, custom map[string]bool, lifecycles map[string]lifecycle) {
	for _, d := range file.Decls {
		method, ok := d.(*ast.FuncDecl)
		if !ok || method.Recv == nil {
			continue
		}
		receiver := method.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		ident, ok := receiver.(*ast.Ident)
		if !ok {
			continue
		}
		if method.Name.Name == "MarshalJSON" || method.Name.Name == "UnmarshalJSON" {
			custom[ident.Name] = true
		}
		if part, ok := strings.CutPrefix(method.Name.Name, "APILifecycle"); ok {
			lifecycles[ident.Name] = withLifecycle(lifecycles[ident.Name], part, returned(method))
		}
	}
}

func withLifecycle(l lifecycle, part string, values []ast.Expr) lifecycle {
	switch part {
	case "Introduced":
		l.Introduced = integers(values)
	case "Deprecated":
		l.Deprecated = integers(values)
	case "Removed":
		l.Removed = integers(values)
	case "Replacement":
		l.Replacement = map[string]string{}
		for _, e := range values[0].(*ast.CompositeLit).Elts {
			pair := e.(*ast.KeyValueExpr)
			if text, ok := stringLiteral(pair.Value); ok {
				l.Replacement[strings.ToLower(pair.Key.(*ast.Ident).Name)] = text
			}
		}
	}
	return l
}

func returned(method *ast.FuncDecl) []ast.Expr {
	for _, s := range method.Body.List {
		if r, ok := s.(*ast.ReturnStmt); ok {
			return r.Results
		}
	}
	return nil
}

func integers(values []ast.Expr) []int {
	found := []int{}
	for _, v := range values {
		if literal, ok := v.(*ast.BasicLit); ok {
			if n, err := strconv.Atoi(literal.Value); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

func stringLiteral(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// readClients adds, for every typed client of a folder, the resource under its kind: gentype.NewClient…[*v1.Pod]("pods").
func readClients(dir string, clients map[string]string) error {
	files, err := parseFolder(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			kind := firstTypeArgument(call.Fun)
			if resource, ok := stringLiteral(call.Args[0]); ok && kind != "" {
				clients[kind] = resource
			}
			return true
		})
	}
	return nil
}

func firstTypeArgument(e ast.Expr) string {
	var function, argument ast.Expr
	switch e := e.(type) {
	case *ast.IndexExpr:
		function, argument = e.X, e.Index
	case *ast.IndexListExpr:
		function, argument = e.X, e.Indices[0]
	default:
		return ""
	}
	name, ok := function.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(name.Sel.Name, "NewClient") {
		return ""
	}
	if star, ok := argument.(*ast.StarExpr); ok {
		if kind, ok := star.X.(*ast.SelectorExpr); ok {
			return kind.Sel.Name
		}
	}
	return ""
}
