//go:build go1.23

package middleware_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

func serve(t *testing.T, requests int, middlewares ...func(http.Handler) http.Handler) {
	r := chi.NewRouter()
	r.Use(middlewares...)
	r.Get("/articles/{id}", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(chi.URLParam(r, "id"))) })
	w, request := httptest.NewRecorder(), httptest.NewRequest("GET", "/articles/12", nil)
	for range requests {
		w.Body.Reset()
		r.ServeHTTP(w, request)
		if w.Code != http.StatusOK || w.Body.Len() != 2 {
			t.Fatal(w.Code, w.Body)
		}
	}
}

func TestWorkloadThrottled(t *testing.T) {
	serve(t, 150000, middleware.ThrottleBacklog(10, 50, time.Minute))
}

func TestWorkloadRouted(t *testing.T) {
	serve(t, 30000, middleware.RequestID, middleware.CleanPath, middleware.SetHeader("X-A", "b"), middleware.NoCache)
}
