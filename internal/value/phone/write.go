package phone

// write appends a number in the reader's form.
func (r *Reader) write(dst []byte, n *number) []byte {
	national := r.national && r.home != nil
	switch {
	case national && r.formatted:
		return appendLayout(dst, known.layout(n.outcome.national), n.national())
	case national:
		return appendDigits(dst, known.layout(n.outcome.national), n.national())
	}
	dst = append(dst, n.plan.text...)
	if !r.formatted {
		return append(dst, n.national()...)
	}
	return appendLayout(append(dst, ' '), known.layout(n.international), n.national())
}

func appendLayout(dst []byte, layout string, digits []byte) []byte {
	if layout == "" {
		return append(dst, digits...)
	}
	for i := range len(layout) {
		switch c := layout[i]; c {
		case 'x':
			dst, digits = append(dst, digits[0]), digits[1:]
		case '!':
			digits = digits[1:]
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendDigits leaves out what is no digit.
func appendDigits(dst []byte, layout string, digits []byte) []byte {
	start := len(dst)
	dst = appendLayout(dst, layout, digits)
	end := start
	for _, c := range dst[start:] {
		if '0' <= c && c <= '9' {
			dst[end] = c
			end++
		}
	}
	return dst[:end]
}
