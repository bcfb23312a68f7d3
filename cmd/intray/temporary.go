package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/intraydata/intray/server"
)

// temporaryServer is a server in a temporary folder, which is deleted when the server stops.
type temporaryServer struct {
	// name is part of the name of the folder.
	name, listen string
	hooks        server.HookConfig
}

// run starts the server and calls the function work with a client and the folder. It stops the
// server when ctx is done or when work returns an error, and then returns that error.
func (t temporaryServer) run(ctx context.Context, s streams, work func(ctx context.Context, api apiClient, folder string) error) (err error) {
	folder, err := os.MkdirTemp("", "intray-"+t.name+"-*")
	if err != nil {
		return fmt.Errorf("create a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	key := "bk_" + rand.Text() + rand.Text()
	cfg := server.Config{
		Data: folder, Listen: t.listen, BackendKey: key, FrontendKey: "fk_" + rand.Text() + rand.Text(),
		MaxFileSize: 1 << 30, Version: version(), Hooks: t.hooks, Out: io.Discard, Memory: limitMemory(0),
		Log: slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	worked := make(chan error, 1)
	cfg.Serving = func(address string) {
		go func() {
			err := work(ctx, newLocalClient(address, key), folder)
			if err != nil {
				stop(err)
			}
			worked <- err
		}()
	}
	if err := server.Serve(ctx, cfg); err != nil {
		return err
	}
	select {
	case err := <-worked:
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	default:
	}
	return nil
}
