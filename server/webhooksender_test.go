package server

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
)

// TestFindingEcosystem12SendGone checks that only the status 410 reports a receiver that is gone.
func TestFindingEcosystem12SendGone(t *testing.T) {
	t.Parallel()
	sender := newWebhookSender(egress.New(egress.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	for status, gone := range map[int]bool{http.StatusGone: true, http.StatusNotFound: false, http.StatusNoContent: false} {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(receiver.Close)
		d := model.Delivery{ID: "msg_1", URL: receiver.URL, ContentType: "application/json", Body: []byte("{}")}
		result, err := sender.Send(t.Context(), d, time.Now(), []secrets.Secret{secrets.NewSecret("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")})
		if err != nil || result.Status != status || result.Gone != gone {
			t.Errorf("%d: %+v, %v", status, result, err)
		}
	}
}
