import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidedIn, nextStep, stepOf, stepsOf } from '../../src/app/steps';
import { asking, facts, layout, questions } from '../browser/scenes';

test('each question belongs to a step', () => {
  const cases = { sheet: 'sheet', encoding: 'sheet', delimiter: 'sheet', misplaced_quotes: 'sheet', header_row: 'header', 'column:email': 'columns', 'field:3': 'columns', 'format:born': 'values', 'format:born:slash': 'values', 'value:country:Germny': 'values' };
  for (const [id, step] of Object.entries(cases)) assert.equal(stepOf(id), step, id);
});

const short = (steps: ReturnType<typeof stepsOf>) => steps.map((step) => `${step.id}${step.open ? ` ${step.open}` : ''}${step.ready ? '' : ' closed'}`);

test('only required steps are shown', () => {
  const none = layout({ columns: [], fields: [], evidence: [], answers: {} });
  const evidence = [{ choice: 'sheet', value: 'A', reason: '', answer: 'sheet', rivals: [{ value: 'B', label: 'B', reason: '', examples: [] }] }];
  assert.deepEqual(short(stepsOf(facts(), layout(), null)), ['columns', 'cells']);
  assert.deepEqual(short(stepsOf(facts(), none, null)), ['cells']);
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), none, asking(questions.sheet))), ['sheet 1', 'cells closed']);
  assert.deepEqual(short(stepsOf(facts(), layout({ evidence }), null)), ['sheet', 'columns', 'cells']);
  assert.deepEqual(short(stepsOf(facts(), layout({ answers: { header_row: '3' } }), null)), ['header', 'columns', 'cells']);
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), layout(), asking(questions.born, questions.amount, questions.email))), ['columns 1', 'values 2', 'cells closed']);
  const answered = { ...questions.born, answer: 'dmy' };
  assert.deepEqual(short(stepsOf(facts({ hasRows: false }), layout(), asking(answered, questions.email))), ['columns 1', 'values', 'cells closed']);
});

test('the next step is the first with an open question, or the cells step if there is none', () => {
  const steps = (...asked: Parameters<typeof asking>) => stepsOf(facts({ hasRows: asked.length === 0 }), layout(), asking(...asked));
  assert.equal(nextStep(steps()), 'cells');
  assert.equal(nextStep(steps(questions.born)), 'values');
  assert.equal(nextStep(steps(questions.born, questions.email)), 'columns');
  assert.equal(nextStep(stepsOf(facts({ hasRows: false }), layout(), null)), 'columns');
  assert.equal(nextStep([]), 'cells');
});

test('an answer is listed in its step unless its question is open', () => {
  const decided = layout({ answers: { sheet: 'A', 'format:born': 'dmy', 'column:email': '1' } });
  assert.deepEqual(decidedIn('sheet', decided, null), [['sheet', 'A']]);
  assert.deepEqual(decidedIn('values', decided, asking({ ...questions.born, answer: 'dmy' })), []);
});
