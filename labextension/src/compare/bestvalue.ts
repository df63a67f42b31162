/**
 * Which of several values of a metric is the best, as far as its name tells. Pure.
 *
 * Rule: a name is taken in words, "val_loss", "valLoss", "train/loss" alike, and the last word that we know counts. Of
 *   a name without such a word nobody knows what is better, and nothing is said.
 */

const LOW = new RegExp(
  '(loss|error|perplexity)$' + '|^(err|mse|rmse|rmsle|mae|mape|msle|nll|ppl|wer|cer|fid|bce|kl|brier|eer|regret)$'
);
const HIGH = new RegExp(
  '(accuracy|precision|recall|reward)$' +
    '|^(acc|auc|auroc|auprc|prauc|ap|map|f1|fscore|sensitivity|specificity|bleu|rouge|meteor|r2|iou|miou|dice)$' +
    '|^(ndcg|mrr|psnr|ssim|mcc|kappa)$'
);
const CAMEL = /([a-z\d])([A-Z][a-z])/g; // "valLoss", but not "mAP"

/** Whether high or low values of the metric of this name are better; null where it does not tell. */
export function directionOf(name: string): 'high' | 'low' | null {
  const words = name
    .replace(CAMEL, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const known = words.map(word => (LOW.test(word) ? 'low' : HIGH.test(word) ? 'high' : null));
  return known.filter(direction => direction !== null).at(-1) ?? null;
}

/** The places of the best of `values`; none where they are all alike, or fewer than two are numbers. */
export function bestOf(name: string, values: readonly number[]): number[] {
  const direction = directionOf(name);
  const finite = values.filter(Number.isFinite);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  if (direction === null || finite.length < 2 || least === most) {
    return [];
  }
  const best = direction === 'low' ? least : most;
  return values.flatMap((value, at) => (value === best ? [at] : []));
}
