package date

// settle says what day the items are.
func (l *loose) settle(r *row) bool {
	month := -1
	for i := range r.items[:r.n] {
		if r.items[i].role == monthRole {
			if month >= 0 {
				return false
			}
			month = i
		}
	}
	switch {
	case month >= 0 && r.n == 3:
		return l.settleNamed(r, month)
	case r.n == 3:
		return l.settleNumbers(r)
	case r.n == 2:
		return l.settleTwo(r, month)
	case r.n == 1:
		return l.settleOne(r.items[0])
	}
	return l.hasClock || l.weekday != 0
}

// settleNamed orders year, month and day where one of the items is the month.
func (l *loose) settleNamed(r *row, month int) bool {
	a, b := 0, 2
	switch month {
	case 0:
		a = 1
	case 2:
		b = 1
	}
	l.kind, l.form, l.name = namedMonth, Named, r.items[month].months
	if l.name == 0 {
		l.months = 1 << min(uint32(r.items[month].value), 15)
	}
	l.put(0, r.items[a])
	l.put(2, r.items[b])
	l.widths[1] = 2
	l.buddhist()
	return l.orderNamed(r.items[a], r.items[b], month)
}

// buddhist turns the year beside a Thai name of a month into that of the
// Gregorian calendar, where it can only be one of the Buddhist era.
func (l *loose) buddhist() {
	if l.name == 0 {
		return
	}
	for _, s := range l.name.word().months {
		if s.languages != locales().thai {
			return
		}
	}
	for i := 0; i < 3; i += 2 {
		if l.widths[i] == 4 && l.nums[i] >= 2400 && l.nums[i] < 2700 {
			l.nums[i] -= 543
		}
	}
}

func (l *loose) orderNamed(a, b item, month int) bool {
	switch {
	case a.width == 3 || b.width == 3 || a.width > 4 || b.width > 4 || a.width == 4 && b.width == 4:
		return false
	case a.role == dayRole || b.role == yearRole || b.width == 4:
		l.order = DMY
	case b.role == dayRole || a.role == yearRole || a.width == 4:
		l.order = YMD
	case month == 0:
		l.order = DMY
	case month == 2:
		return false
	}
	return true
}

func (p *parts) put(i int, it item) { p.nums[i], p.widths[i] = it.value, it.width }

// settleNumbers reads three numbers.
func (l *loose) settleNumbers(r *row) bool {
	first, second := r.signs[0], r.signs[1]
	if first != second && second != 0 && (first != '/' || second != '-') {
		return false
	}
	for i, it := range r.items {
		l.put(i, it)
	}
	if !l.classify(signForm(first)) {
		return false
	}
	switch {
	case r.items[0].role == yearRole:
		l.order = YMD
	case l.form == YearFirst:
	case r.items[0].role == dayRole:
		l.order = DMY
	case r.items[1].role == dayRole:
		l.order = MDY
	}
	return true
}

// settleTwo reads the day of a year, 2021-087. All else lacks something.
func (l *loose) settleTwo(r *row, month int) bool {
	a, b := r.items[0], r.items[1]
	switch {
	case month < 0 && a.width == 4 && b.width == 3 && r.signs[0] == '-':
		l.setYearDay(int(a.value), int(b.value))
	case a.width == 4 || b.width == 4:
		l.dayReason = NoDay
	case a.width <= 2 && b.width <= 2:
		l.dayReason = NoYear
	default:
		return false
	}
	return true
}

func (l *loose) setYearDay(year, day int) {
	var ok bool
	l.kind = wholeDay
	if l.date, ok = fromYearDay(year, day); !ok {
		l.dayReason = NoSuchDay
	}
}

// settleOne reads a day without signs: 20210328, 28032021, 280321 or 2021087.
func (l *loose) settleOne(it item) bool {
	switch {
	case it.width == 8:
		l.settleEight(it.value)
	case it.width == 7:
		l.setYearDay(int(it.value/1000), int(it.value%1000))
	case it.width == 6:
		l.kind, l.form = threeNumbers, ShortBare
		l.nums = [3]int32{it.value / 10000, it.value / 100 % 100, it.value % 100}
		l.widths = [3]uint8{2, 2, 2}
	case it.role != anyRole || it.width == 4:
		l.dayReason = NoDay
	default:
		return false
	}
	return true
}

// settleEight tells the year by its place: month and day never look like a year
// of these centuries.
func (l *loose) settleEight(v int32) {
	l.kind, l.form = threeNumbers, Bare
	l.nums, l.widths = [3]int32{v / 1000000, v / 10000 % 100, v % 10000}, [3]uint8{2, 2, 4}
	if year := v % 10000; year < 1500 || year > 2500 {
		l.nums, l.widths = [3]int32{v / 10000, v / 100 % 100, v % 100}, [3]uint8{4, 2, 2}
		l.form, l.order = YearFirst, YMD
	}
}
