/** Addresses of bytes in memory, which jsdom does not have: whoever makes one keeps the bytes until it is revoked. */

/** Have `URL` make such addresses from now on; gives those that are not revoked yet. */
export function keptAddresses(): ReadonlySet<string> {
  const kept = new Set<string>();
  let count = 0;
  Object.assign(URL, {
    createObjectURL: () => {
      const address = `blob:${count++}`;
      kept.add(address);
      return address;
    },
    revokeObjectURL: (address: string) => kept.delete(address)
  });
  return kept;
}
