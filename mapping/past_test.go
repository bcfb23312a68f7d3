package mapping

import "testing"

// TestNamesPastDate checks which names mean dates of birth or death.
func TestNamesPastDate(t *testing.T) {
	for name, want := range map[string]bool{
		"Date of birth": true, "DOB": true, "birth_date": true, "Geb.-Datum": true, "Geburtsdatum": true, "Fecha de nacimiento": true, "生年月日": true, "Дата рождения": true,
		"Date of death": true, "Customer date of birth": true,
		"Date": false, "Due date": false, "Birthplace": false, "Place of birth": false, "Name": false, "": false, "Hire date": false,
	} {
		if got := NamesPastDate(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

// TestNamesYear checks which names mean a year.
func TestNamesYear(t *testing.T) {
	for name, want := range map[string]bool{
		"Year": true, "fiscal_year": true, "YearBuilt": true, "Jahr": true, "Année": true, "ปี พ.ศ.": true, "年度": true, "Год": true, "سنة": true,
		"Amount": false, "Yearly sum": false, "": false, "An amount": false, "Number": false,
	} {
		if got := NamesYear(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}
