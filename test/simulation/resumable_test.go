package simulation

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// uploadInChunks sends the file of an import in several requests, each to a random process.
func (c *client) uploadInChunks(imp *importState, got model.Import) {
	token := ""
	err := c.call("create upload", func(ctx context.Context, p *process) error {
		first, err := p.UploadToken(got, "")
		if err != nil {
			return err
		}
		grant, err := p.VerifyUploadToken(ctx, imp.getID(), first)
		if err != nil {
			return err
		}
		_, token, err = p.CreateResumable(ctx, grant, int64(len(imp.file.content)), imp.file.name)
		return err
	})
	if err != nil {
		return
	}
	durable := int64(0) // what a response has confirmed
	for range 2 + c.random.IntN(10) {
		if c.chance(50) {
			c.pause()
		}
		offset, err := c.sendChunk(imp, token, durable)
		var refused *model.Error
		if errors.As(err, &refused) && refused.Kind != model.Locked && refused.Kind != model.Invalid {
			return // another upload has replaced this one, or the import has its file or was deleted
		}
		if err == nil {
			durable = offset
		}
		if durable == int64(len(imp.file.content)) {
			imp.uploaded.Store(true)
			return
		}
	}
}

// sendChunk asks for the offset of an upload, and sends a chunk. It returns the offset after that.
func (c *client) sendChunk(imp *importState, token string, durable int64) (offset int64, err error) {
	content := imp.file.content
	length := 1 + c.random.IntN(len(content))
	lost := c.chance(15)
	err = c.call("send chunk", func(ctx context.Context, p *process) error {
		grant, err := p.VerifyUploadToken(ctx, imp.getID(), token)
		if err != nil {
			return err
		}
		u, err := p.OpenResumable(ctx, grant)
		if err != nil {
			return err
		}
		if offset, err = u.Offset(ctx); err != nil || u.Complete() || offset == int64(len(content)) {
			return err
		}
		if offset < durable {
			c.w.violate("the upload of import %s has %d bytes, after %d were acknowledged", imp.getID(), offset, durable)
		}
		chunk := content[offset:min(int(offset)+length, len(content))]
		body := io.Reader(bytes.NewReader(chunk))
		if lost {
			body = io.MultiReader(bytes.NewReader(chunk[:len(chunk)/2]), failingReader{})
		}
		offset, err = u.Receive(ctx, imports.Chunk{Body: body, Offset: offset, Length: int64(len(chunk)), Interrupt: func() {}})
		return err
	})
	return offset, err
}
