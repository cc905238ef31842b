import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

/** The definitions of opentelemetry-proto 1.9, as they are published (Apache-2.0). */
const PROTO = fileURLToPath(new URL('.', import.meta.url));

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly asDouble?: number;
  readonly asInt?: number;
  readonly startTimeUnixNano: number;
  readonly timeUnixNano: number;
  readonly count?: number;
  readonly sum?: number;
  readonly min?: number;
  readonly max?: number;
  readonly scale?: number;
  readonly zeroCount?: number;
  readonly positive?: { readonly offset: number; readonly bucketCounts: readonly number[] };
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'sum' | 'gauge' | 'exponentialHistogram';
  readonly isCumulative: boolean;
  readonly points: readonly ReceivedPoint[];
}

/** One export, decoded by the official definitions. */
export interface ReceivedExport {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly metrics: readonly ReceivedMetric[];
}

/** A collector that takes OTLP over HTTP. */
export interface Collector {
  readonly url: string;
  readonly exports: readonly ReceivedExport[];
  /** Method, path and headers of the requests. */
  readonly requests: readonly Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
  close(): Promise<void>;
}

/** Starts a collector; `respond` answers each request, by default with status 200. */
export async function startCollector(
  respond: (response: ServerResponse) => void = (response) => void response.end(),
): Promise<Collector> {
  const type = await exportRequestType();
  const exports: ReceivedExport[] = [];
  const requests: Collector['requests'][number][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(request);
      exports.push(read(type, Buffer.concat(chunks)));
      respond(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function exportRequestType(): Promise<protobuf.Type> {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => PROTO + target;
  await root.load('opentelemetry/proto/collector/metrics/v1/metrics_service.proto');
  return root.lookupType('opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest');
}

/** An attribute as protobufjs writes it. */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type Kind = ReceivedMetric['kind'];
type Point = Omit<ReceivedPoint, 'attributes'> & { readonly attributes: readonly Attribute[] };
type Metric = { readonly name: string; readonly unit: string } & Readonly<
  Partial<Record<Kind, { readonly dataPoints: Point[]; readonly aggregationTemporality?: string }>>
>;

/** A request as protobufjs writes it. */
interface Exported {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

const KINDS: readonly Kind[] = ['sum', 'gauge', 'exponentialHistogram'];
const CUMULATIVE = 'AGGREGATION_TEMPORALITY_CUMULATIVE';

function read(type: protobuf.Type, bytes: Buffer): ReceivedExport {
  const options = { longs: Number, enums: String, arrays: true };
  const { resourceMetrics } = type.toObject(type.decode(bytes), options) as Exported;
  const { resource, scopeMetrics } = resourceMetrics[0]!;
  return {
    resource: attributesOf(resource.attributes),
    metrics: scopeMetrics[0]!.metrics.map((metric) => {
      const kind = KINDS.find((one) => metric[one])!;
      const { dataPoints, aggregationTemporality } = metric[kind]!;
      return {
        name: metric.name,
        unit: metric.unit,
        kind,
        isCumulative: aggregationTemporality === CUMULATIVE,
        points: dataPoints.map((point) => ({
          ...point,
          attributes: attributesOf(point.attributes),
        })),
      };
    }),
  };
}

function attributesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
