package engine

import (
	"sync/atomic"
	"time"

	"github.com/intraydata/intray/source"
)

// Stage is the name of a stage of a run.
type Stage string

// These are the stages, in the order of the data.
const (
	// StageOpen detects how the file is read, maps its columns, and decides how cells are read.
	StageOpen Stage = "open"
	// StageSplit cuts the file into parts that can be read at the same time.
	StageSplit Stage = "split"
	// StageRead reads records.
	StageRead Stage = "read"
	// StageParse parses cells.
	StageParse Stage = "parse"
	// StageHooks waits for row hooks.
	StageHooks Stage = "hooks"
	// StageCheck applies the rules.
	StageCheck Stage = "check"
	// StageEncode encodes the staged rows, and StageCommit writes them in order.
	StageEncode Stage = "encode"
	StageCommit Stage = "commit"
	// StageCompare compares the rows of the whole table, for rules such as unique.
	StageCompare Stage = "compare"
)

// Timing is the time of a stage.
type Timing struct {
	Stage Stage
	// Busy is the total time that goroutines spent in the stage. It includes the time in which they
	// waited for the disk or a processor.
	Busy time.Duration
	// Serial reports that only one goroutine works in the stage, so that it does not become faster with
	// more processors.
	Serial bool
}

// pipelineStages are the stages of a pipeline. Their times are kept by index.
var pipelineStages = [...]Timing{
	{Stage: StageSplit, Serial: true}, {Stage: StageRead}, {Stage: StageParse}, {Stage: StageHooks},
	{Stage: StageCheck}, {Stage: StageEncode}, {Stage: StageCommit, Serial: true}, {Stage: StageCompare, Serial: true},
}

// stageTimes holds the times of all stages. It is safe for concurrent use.
type stageTimes [len(pipelineStages)]atomic.Int64

// add adds the time since start to a stage and returns the current time.
func (t *stageTimes) add(stage Stage, start time.Time) time.Time {
	now := time.Now()
	t.addTime(stage, now.Sub(start))
	return now
}

func (t *stageTimes) addTime(stage Stage, busy time.Duration) {
	for i := range pipelineStages {
		if pipelineStages[i].Stage == stage {
			t[i].Add(int64(busy))
		}
	}
}

// timings returns the stages that took any time. reading is the time of all calls of the reader.
func (t *stageTimes) timings(reader source.Reader, reading time.Duration) (list []Timing) {
	split, read := busyOf(reader)
	readsInParallel := read > 0
	if !readsInParallel {
		read = reading
	}
	t.addTime(StageSplit, split)
	t.addTime(StageRead, read)
	for i, timing := range pipelineStages {
		if timing.Busy = time.Duration(t[i].Load()); timing.Busy == 0 {
			continue
		}
		timing.Serial = timing.Serial || timing.Stage == StageRead && !readsInParallel
		list = append(list, timing)
	}
	return list
}

// busyOf returns the times of a reader, as in [source.TimedReader].
func busyOf(reader source.Reader) (split, read time.Duration) {
	if timed, ok := reader.(source.TimedReader); ok {
		return timed.Busy()
	}
	return 0, 0
}

// Busy returns the times of the reader of the file.
func (l *limitedReader) Busy() (split, read time.Duration) { return busyOf(l.Reader) }

// Busy returns the times of the reader of the file.
func (f *rowMerger) Busy() (split, read time.Duration) { return busyOf(f.Reader) }
