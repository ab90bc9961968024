package favicon

import (
	"errors"
	"strings"
	"testing"
)

func TestDrawings(t *testing.T) {
	t.Parallel()
	const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"`
	const root = open + `>`
	const circle = `<circle r="4" fill="red"/>`
	for name, tt := range map[string]struct {
		svg  string
		side int
	}{
		"a shape":            {root + circle + `</svg>`, svgSide},
		"an emoji":           {root + `<text y=".9em" font-size="90">🎯</text></svg>`, svgSide},
		"for dark screens":   {root + `<style>@media (prefers-color-scheme:dark){g{fill:#fff}}</style><g/></svg>`, svgSide},
		"a gradient":         {root + `<defs><linearGradient id="a"/></defs><rect style="fill:url(#a)"/></svg>`, svgSide},
		"a prologue":         {`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y">` + root + `</svg>`, svgSide},
		"a prefix":           {`<s:svg xmlns:s="http://www.w3.org/2000/svg" width="9px" height="9"><s:g/></s:svg>`, svgSide},
		"a program's notes":  {open + ` xmlns:i="http://www.inkscape.org/"><i:grid snap="1"/></svg>`, svgSide},
		"used twelve times":  {root + strings.Repeat(`<use href="#a"/>`, 12) + `</svg>`, svgSide},
		"a banner":           {`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100">` + circle + `</svg>`, 0},
		"of no size":         {`<svg xmlns="http://www.w3.org/2000/svg">` + circle + `</svg>`, 0},
		"used too often":     {root + strings.Repeat(`<use href="#a"/>`, 13) + `</svg>`, -1},
		"masked too often":   {root + strings.Repeat(`<g mask="url(#a)"/>`, 13) + `</svg>`, -1},
		"a script":           {root + `<script>1</script></svg>`, -1},
		"HTML":               {root + `<foreignObject/></svg>`, -1},
		"HTML in between":    {root + `<p xmlns="http://www.w3.org/1999/xhtml">x</p></svg>`, -1},
		"an image":           {root + `<image href="https://elsewhere.example/"/></svg>`, -1},
		"something moving":   {root + `<circle r="4"><animate attributeName="r" to="1"/></circle></svg>`, -1},
		"moving by style":    {root + `<style>@keyframes a{}circle{animation:a 1s}</style></svg>`, -1},
		"cut by a comment":   {root + `<style>g{anim<!-- -->ation:a 1s}</style></svg>`, -1},
		"cut by CDATA":       {root + `<style>g{anim<![CDATA[ation:a 1s}]]></style></svg>`, -1},
		"behind an element":  {root + `<style><g/>g{animation:a 1s}</style></svg>`, -1},
		"a style sheet":      {`<?xml-stylesheet href="data:text/css,"?>` + root + `</svg>`, -1},
		"added attributes":   {`<!DOCTYPE svg [<!ATTLIST g filter CDATA "blur(9px)">]>` + root + `<g/></svg>`, -1},
		"hidden in escapes":  {root + `<style>circle{\61nimation:a 1s}</style></svg>`, -1},
		"a filter":           {root + `<g filter="blur(99px)"/></svg>`, -1},
		"a filter in styles": {root + `<g style="FILTER:blur(99px)"/></svg>`, -1},
		"entities":           {`<!DOCTYPE svg [<!ENTITY a "aaaa">]>` + root + `<text>&a;</text></svg>`, -1},
		"cut off":            {root + circle, -1},
		"two":                {root + `</svg>` + root + `</svg>`, -1},
		"within a page":      {`<html>` + root + `</svg></html>`, -1},
		"no namespace":       {`<svg viewBox="0 0 1 1"><!-- http://www.w3.org/2000/svg --></svg>`, -1},
		"deep":               {root + strings.Repeat(`<g>`, 64) + strings.Repeat(`</g>`, 64) + `</svg>`, -1},
		"long":               {root + strings.Repeat(" ", maxSVG) + `</svg>`, -1},
	} {
		made, err := Make([]byte(tt.svg))
		switch {
		case tt.side < 0:
			if !errors.Is(err, ErrUnusable) {
				t.Errorf("%s: kept, %v", name, err)
			}
		case err != nil || made.Side != tt.side || string(made.Body) != tt.svg || made.ContentType != "image/svg+xml":
			t.Errorf("%s: side %d, %s, %v", name, made.Side, made.ContentType, err)
		}
	}
}
