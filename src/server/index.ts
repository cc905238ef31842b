export { FAULTS, isOnFastPath } from './faults/catalogue.ts';
export type { Fault, FaultId } from './faults/fault.ts';
export type { Timeouts, TlsOptions } from './http/node-server.ts';
export type { AccessLogEntry } from './http/requests.ts';
export { type InProcessOptions, openInProcess } from './in-process.ts';
export { Forwarder, type ForwardGuard } from './intercept/forwarder.ts';
export type {
  InterceptedExchange,
  InterceptedRequest,
  Interceptor,
} from './intercept/interceptor.ts';
export { TrafficMonitor } from './intercept/traffic.ts';
export { type MetricsEndpoint, openMetricsEndpoint } from './metrics/endpoint.ts';
export type { ServerMetrics } from './metrics/request-counts.ts';
export { describeProfile, SHAPE_QUERIES } from './profile.ts';
export { DEMO_PARTNERS, SERVER_OPTIONS, type ServerOptions } from './server-options.ts';
export { type Clock, MovableClock, wallClock } from './service/clock.ts';
export { cryptoRandom, type RandomSource, seededRandom } from './service/random.ts';
export { type Environment } from './service/settings.ts';
export { preferShortPauses } from './short-pauses.ts';
export { fastPathSteps, WHOLE_REQUEST } from './speed/steps.ts';
export { type RunningServer, startServer } from './start-server.ts';
