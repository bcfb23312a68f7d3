import type { components, operations } from './schema';

// Short names for the types of API responses.
type Answer<Name extends keyof operations> = operations[Name] extends { responses: { 200: { content: { 'application/json': infer T } } } } ? T : never;
type Body<Name extends keyof operations> = operations[Name] extends { requestBody?: { content: { 'application/json': infer T } } } ? T : never;

export type Import = Answer<'getReview'>;
export type Notice = components['schemas']['Notice'];
export type Questions = Answer<'getReviewQuestions'>;
export type Question = Questions['questions'][number];
export type QuestionChoice = Question['choices'][number];
export type Reading = NonNullable<QuestionChoice['readings']>[number];
export type Table = Answer<'getReviewTable'>;
export type TableColumn = Table['columns'][number];
export type Totals = Table['totals'];
export type RowWindow = Answer<'getReviewRows'>;
export type Row = RowWindow['rows'][number];
export type Cell = Row['cells'][number];
export type Problem = NonNullable<Cell['problems']>[number];
export type Counts = Answer<'getReviewCounts'>;
export type Values = Answer<'getReviewValues'>;
export type Edit = Body<'editReview'>;
export type Verdict = Answer<'editReview'>;
export type Submission = Answer<'getSubmission'>;
export type Layout = Answer<'getReviewLayout'>;
export type FilePreview = Answer<'previewFile'>;
export type LayoutColumn = Layout['columns'][number];
export type LayoutField = Layout['fields'][number];
export type LayoutEvidence = Layout['evidence'][number];
