import { ExchangeCapture } from '../evidence/exchange-capture.ts';
import type { CapturedAnswer, CapturedExchange, CapturedRequest } from '../traffic/captured.ts';

/** Another origin: it notes what clients send there that follow a redirect, and answers 404. */
export class OtherOrigin extends ExchangeCapture {
  readonly #of: Pick<CapturedExchange, 'scenario' | 'attempt'>;

  constructor(
    of: Pick<CapturedExchange, 'scenario' | 'attempt'>,
    pass: (captured: CapturedExchange) => void,
  ) {
    super((captured) => pass({ ...captured, isRedirected: true }));
    this.#of = of;
  }

  override respond(request: CapturedRequest): CapturedAnswer {
    super.respond(request);
    return { status: 404, headers: {}, body: '' };
  }

  protected override contextOf(request: CapturedRequest) {
    return { ...super.contextOf(request), ...this.#of };
  }
}
