// @module-tag long

import { judgeForms } from './judge-forms.ts';

judgeForms('metered');
