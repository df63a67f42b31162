/** Forms that a section has its host open, e.g. in a dialog. They stay open until what they are for has been done. */

/** A button that ends a form: what it is called, and what the form knows it by. */
export type FormChoice = readonly [label: string, choice: string];

export interface OpenableForm<T> {
  readonly element: HTMLElement;
  /** Whether something was typed or chosen in it, which would be lost. */
  readonly isChanged: boolean;
  /** Why this choice cannot be made as things are, a sentence; '' where nothing is known against it. */
  refusal(choice: string): string;
  /** Do it; null where the form says why not, and stays open. */
  submit(choice: string): Promise<T | null>;
  /** Heard when a refusal may be another one. */
  changed: () => void;
  dispose(): void;
}

/** What is asked before what was typed is thrown away, and its two answers. */
export type DiscardQuestion = readonly [text: string, discard: string, keep: string];

/** Shows the form until one of the choices has been done, or none is wanted: null. */
export type OpenForm = <T>(
  title: string,
  form: OpenableForm<T>,
  cancel: string,
  choices: readonly FormChoice[],
  leaving: DiscardQuestion
) => Promise<T | null>;
