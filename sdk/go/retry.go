package intray

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"time"
)

const (
	// maxAttempts is how often a request is sent at most.
	maxAttempts = 5
	// firstDelay is the average delay before the second attempt. Each further delay is twice as long.
	firstDelay = 500 * time.Millisecond
	// maxRetryAfter is the longest delay for which a server can ask. If it asks for more, the request
	// fails.
	maxRetryAfter = time.Minute
)

// sender sends requests and repeats them. It implements the interface that the generated client
// requires of an HTTP client.
type sender struct {
	client *http.Client
	pause  func(context.Context, time.Duration) error
}

// Do sends a request until it succeeds or another attempt is unsafe or useless. It returns an
// [*APIError] if the last response is not a success. To be repeated, a request with a body needs
// GetBody.
func (s *sender) Do(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	for attempt := 1; ; attempt++ {
		response, err := s.client.Do(request)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		if err == nil {
			err = readError(response)
		}
		delay, again := retryDelay(request.Method, err, attempt)
		if !again {
			return nil, err
		}
		if ended := s.pause(request.Context(), delay); ended != nil {
			return nil, errors.Join(ended, err)
		}
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// retryDelay returns how long to wait before another attempt, and whether to make one.
func retryDelay(method string, err error, attempt int) (time.Duration, bool) {
	if attempt == maxAttempts {
		return 0, false
	}
	// The delays vary, so that clients do not return at the same time.
	delay := time.Duration(float64(firstDelay<<(attempt-1)) * (0.75 + mathrand.Float64()/2))
	var refused *APIError
	switch {
	case !errors.As(err, &refused), refused.Status == http.StatusBadGateway, refused.Status == http.StatusGatewayTimeout:
		// The server may have processed the request. For a POST, the Idempotency-Key makes the
		// repetition safe. A repeated DELETE would report that the resource does not exist.
		return delay, method != http.MethodDelete
	case refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable && refused.Code != "idempotency_key_in_use":
		return 0, false
	case refused.retryAfter >= 0:
		return refused.retryAfter, refused.retryAfter <= maxRetryAfter
	}
	return delay, true
}

// pause waits. It returns an error if the context ends first.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
