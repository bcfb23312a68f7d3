package api

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/output"
)

// maxBroughtFile is the largest file with rows that is taken back.
const maxBroughtFile = 100 << 20

// getDeskFile gives the rows of a view as a workbook.
func (a *API) getDeskFile(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	q, err := d.query(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	file := a.newSpool(0, nil)
	if err := a.cfg.Service.WriteRows(c.ctx(), c.reviewed, q, file); err != nil {
		file.close()
		return nil, err
	}
	name := c.reviewed.Filename
	if name == "" {
		name = "rows"
	}
	header := http.Header{
		"Content-Type": {output.XLSX.ContentType()}, "Cache-Control": {"no-store"},
		"Content-Disposition": {"attachment; filename*=UTF-8''" + url.PathEscape(name) + "-rows.xlsx"},
	}
	return &answer{status: http.StatusOK, header: header, stream: file.stream}, nil
}

// deskBrought says what came of a file.
type deskBrought struct {
	Verdict  any          `json:"verdict"`
	Clashes  int64        `json:"clashes"`
	Examples []deskParted `json:"examples"`
	Untold   int64        `json:"untold"`
	Unknown  int64        `json:"unknown"`
	Ignored  []string     `json:"ignored"`
}

// deskParted is a cell that was changed here and in a file.
type deskParted struct {
	ID   string `json:"id"`
	Key  string `json:"key"`
	Part *int   `json:"part,omitempty"`
	Here string `json:"here"`
	File string `json:"file"`
}

func (d *desk) parted(list []service.Parted) []deskParted {
	out := []deskParted{}
	for _, p := range list {
		f := d.fields[p.Field]
		one := deskParted{ID: strconv.FormatInt(p.Row, 10), Key: f.Key, Here: cut(p.Here, maxStepText), File: cut(p.File, maxStepText)}
		if f.ManyToOne {
			one.Part = &p.Part
		}
		out = append(out, one)
	}
	return out
}

// postDeskFile takes rows back that were mended elsewhere.
func (a *API) postDeskFile(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	if err := bare(c.r.Header); err != nil {
		return nil, err
	}
	over := refuse(http.StatusRequestEntityTooLarge, "file_too_large", intray.NewMessage("review.file_too_large", intray.Params{"size": maxBroughtFile >> 20}))
	file := a.newSpool(maxBroughtFile, over)
	defer file.close()
	if _, err := io.Copy(file, a.paced(c.w, c.r)); err != nil {
		return nil, receiveError(err)
	}
	query := c.r.URL.Query()
	out, err := a.cfg.Service.TakeRows(c.ctx(), c.reviewed, service.Bringing{
		Op: query.Get("op"), Preview: query.Get("preview") == "true", Over: query.Get("over") == "true",
		File: file.readerAt(), Size: file.size,
	})
	verdict, err := d.verdict(out.Verdict, err)
	if err != nil {
		return nil, err
	}
	return unkept(deskBrought{verdict.body, out.Clashes, d.parted(out.Examples), out.Untold, out.Unknown, append([]string{}, out.Ignored...)}, nil)
}

// readerAt reads any part of it.
func (s *spool) readerAt() io.ReaderAt {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return s.file
}
