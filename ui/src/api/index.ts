export { unwrap, createApi, type Api } from './client';
export { Events, type Connect, type ProgressEvent, type StateEvent, type Status } from './events';
export { Fault, faultOf, isAborted, type CellConflict, type FaultKind } from './fault';
export { joined, labelOf, messageOf, reasonOf, reasonsOf } from './messages';
export type * from './shapes';
