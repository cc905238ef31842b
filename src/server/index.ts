export type { Clock } from './clock.ts';
export { MovableClock, wallClock } from './clock.ts';
export { fastPathSteps, WHOLE_REQUEST } from './fast-path/steps.ts';
export { FAULTS } from './faults/catalogue.ts';
export type { Fault } from './faults/fault.ts';
export type { AccessLogEntry } from './http/access-log.ts';
export type { Timeouts, TlsOptions } from './http/node-server.ts';
export type { Forwarder } from './intercept/forwarder.ts';
export { openForwarder } from './intercept/forwarder.ts';
export type {
  InterceptedExchange,
  InterceptedRequest,
  Interceptor,
} from './intercept/interceptor.ts';
export { TrafficMonitor } from './intercept/traffic.ts';
export { describeProfile, SHAPE_QUERIES } from './profile.ts';
export type { RandomSource } from './random.ts';
export { cryptoRandom } from './random.ts';
export type { Environment, ServerOptions } from './settings.ts';
export { DEMO_PARTNERS } from './settings.ts';
export type { RunningServer } from './start-server.ts';
export { startServer } from './start-server.ts';
