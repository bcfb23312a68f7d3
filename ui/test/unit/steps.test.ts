import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidedIn, nextStep, stepAfter, stepOf, stepsOf } from '../../src/app/steps';
import { asking, facts, layout, questions } from '../browser/scenes';

test('each question belongs to a step', () => {
  const cases = { sheet: 'table', encoding: 'table', delimiter: 'table', misplaced_quotes: 'table', header_row: 'table', 'column:email': 'columns', 'field:3': 'columns', 'format:born': 'columns', 'format:born:slash': 'columns', 'value:country:Germny': 'columns' };
  for (const [id, step] of Object.entries(cases)) assert.equal(stepOf(id), step, id);
});

const short = (steps: ReturnType<typeof stepsOf>) => steps.map((step) => `${step.id}${step.open ? ` ${step.open}` : ''}${step.ready ? '' : ' closed'}`);

test('every file has the same steps', () => {
  const none = layout({ columns: [], fields: [], evidence: [], answers: {} });
  assert.deepEqual(short(stepsOf(facts(), layout(), null)), ['table', 'columns', 'cells', 'confirm']);
  assert.deepEqual(short(stepsOf(facts(), null, null)), ['table closed', 'columns closed', 'cells', 'confirm']);
  assert.deepEqual(short(stepsOf(facts(), none, null)), ['cells', 'confirm']);
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), none, asking(questions.sheet))), ['table 1', 'columns closed', 'cells closed', 'confirm closed']);
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), layout(), asking(questions.born, questions.amount, questions.email))), ['table', 'columns 3', 'cells closed', 'confirm closed']);
  const answered = { ...questions.born, answer: 'dmy' };
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), layout(), asking(answered, questions.header))), ['table 1', 'columns', 'cells closed', 'confirm closed']);
});

test('values are matched before the cells if a field has options', () => {
  const steps = (unmatchedValues: number | null, passed = false) => stepsOf(facts({ unmatchedValues }), layout(), null, [], new Set(passed ? ['values'] : []));
  assert.deepEqual(short(steps(0)), ['table', 'columns', 'values', 'cells', 'confirm']);
  assert.deepEqual(short(steps(7)), ['table', 'columns', 'values 7', 'cells', 'confirm']);
  assert.equal(nextStep(steps(7)), 'values');
  assert.equal(nextStep(steps(0)), 'cells');
  assert.equal(nextStep(steps(7, true)), 'cells', 'the step was passed');
  assert.deepEqual(short(stepsOf(facts({ hasRows: false, unmatchedValues: 0 }), layout(), asking(questions.born))), ['table', 'columns 1', 'values closed', 'cells closed', 'confirm closed']);
});

test('a step of the page can follow the values, even if no field has options', () => {
  const custom = [{ id: 'custom:terms', after: 'values', label: 'Terms' }] as const;
  const steps = (unmatchedValues: number | null, ...passed: ('custom:terms' | 'values')[]) => short(stepsOf(facts({ unmatchedValues }), layout(), null, custom, new Set(passed)));
  assert.deepEqual(steps(7), ['table', 'columns', 'values 7', 'custom:terms 1', 'cells closed', 'confirm closed']);
  assert.deepEqual(steps(null), ['table', 'columns', 'custom:terms 1', 'cells closed', 'confirm closed']);
  assert.deepEqual(steps(7, 'values', 'custom:terms'), ['table', 'columns', 'values', 'custom:terms', 'cells', 'confirm']);
});

test('the next step is the first with an open question, or the cells step if there is none', () => {
  const steps = (...asked: Parameters<typeof asking>) => stepsOf(facts({ hasRows: asked.length === 0 }), layout(), asking(...asked));
  assert.equal(nextStep(steps()), 'cells');
  assert.equal(nextStep(steps(questions.born)), 'columns');
  assert.equal(nextStep(steps(questions.born, questions.header)), 'table');
  assert.equal(nextStep(stepsOf(facts({ hasRows: false }), layout(), null)), 'table');
  assert.equal(nextStep([]), 'cells');
});

test('continuing skips steps without questions only if a later step has some', () => {
  assert.equal(stepAfter(stepsOf(facts(), layout(), null), 'table'), 'columns');
  assert.equal(stepAfter(stepsOf(facts(), layout(), null), 'columns'), 'cells');
  assert.equal(stepAfter(stepsOf(facts({ hasRows: false }), layout(), asking(questions.born)), 'table'), 'columns');
  assert.equal(stepAfter(stepsOf(facts({ hasRows: false }), layout(), asking(questions.sheet)), 'columns'), 'columns');
  assert.equal(stepAfter(stepsOf(facts(), layout(), null), 'confirm'), 'confirm');
});

test('an answer is listed in its step unless its question is open', () => {
  const decided = layout({ answers: { sheet: 'A', 'format:born': 'dmy', 'column:email': '1' } });
  assert.deepEqual(decidedIn('table', decided, null), [['sheet', 'A']]);
  assert.deepEqual(decidedIn('columns', decided, asking({ ...questions.born, answer: 'dmy' })), [['column:email', '1']]);
});
