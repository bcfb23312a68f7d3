package servertest

import "github.com/intraydata/intray/server/model"

// Split returns the rows of a page and the length of its list.
func Split[T any](page model.Page[T], err error) (rows []T, total int64, _ error) {
	return page.Rows, page.Total, err
}

// SplitDeliveries is like Split, for deliveries and their attempts.
func SplitDeliveries(page model.Page[model.Delivery], attempts map[string][]model.Attempt, err error) ([]model.Delivery, map[string][]model.Attempt, int64, error) {
	return page.Rows, attempts, page.Total, err
}
