export type { Clock } from './clock.ts';
export { MovableClock, wallClock } from './clock.ts';
export { DEMO_PARTNERS } from './demo-partners.ts';
export { hotPathSteps, WHOLE_REQUEST } from './fast-path/steps.ts';
export { FAULTS } from './faults/catalogue.ts';
export type { Fault } from './faults/fault.ts';
export type { AccessLogEntry, Timeouts, TlsOptions } from './http/listener.ts';
export type {
  Attendant,
  AttendedExchange,
  AttendedRequest,
  Direction,
} from './intercept/interceptor.ts';
export { describeProfile, SHAPE_QUERIES } from './profile.ts';
export type { RandomSource } from './random.ts';
export { cryptoRandom } from './random.ts';
export type { Environment } from './settings.ts';
export type { RunningServer, ServerOptions } from './start-server.ts';
export { startServer } from './start-server.ts';
